// SPDX-License-Identifier: MIT
// hello.go - a program without any C in it.
package main

import "fmt"

func main() {
	fmt.Println("hello")
}
