/* SPDX-License-Identifier: MIT */
#include "command.h"
int cmd_graph(int argc, char *argv[]) { (void)argc; (void)argv; return 1; }
