// SPDX-License-Identifier: MIT
// cgo.go - a fault in Go, which is a panic, and one in C, which is none.
package main

/*
#cgo LDFLAGS: -rdynamic
#define KEPT __attribute__((noinline, noclone))
int c_sink;
KEPT void c_dies(volatile int *from) { c_sink = *from; __asm__ volatile(""); }
KEPT void c_calls(volatile int *from) { c_dies(from); __asm__ volatile(""); }
*/
import "C"

import (
	"fmt"
	"os"
	"sync"
)

type node struct {
	value int
	next  *node
}

//go:noinline
func read(n *node) int {
	return n.next.value
}

func recovers(count *int) {
	defer func() {
		if recover() != nil {
			*count++
		}
	}()
	read(&node{})
}

func main() {
	if os.Args[1] == "crash" {
		C.c_calls(nil)
	}
	var group sync.WaitGroup
	counts := make([]int, 4)
	for i := range counts {
		group.Add(1)
		go func(i int) {
			for j := 0; j < 1000; j++ {
				recovers(&counts[i])
			}
			group.Done()
		}(i)
	}
	group.Wait()
	fmt.Println("recovered", counts[0]+counts[1]+counts[2]+counts[3])
}
