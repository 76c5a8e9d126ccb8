bin_PROGRAMS += whocallme
whocallme_SOURCES = \
	%reldir%/main.c %reldir%/command.h \
	%reldir%/cmd_functions.c \
	%reldir%/json.c %reldir%/json.h
whocallme_CFLAGS = $(AM_CFLAGS)
whocallme_LDADD = libwhocallme.la
