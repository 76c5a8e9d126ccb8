! SPDX-License-Identifier: MIT
! shapes.f90 - procedures of a module, of a program and of none.
module shapes
contains
	recursive subroutine area(p)
		integer, pointer :: p
		p = 1
	end subroutine
end module

subroutine plain(p)
	use shapes
	integer, pointer :: p
	call area(p)
end subroutine

program prog
	interface
		subroutine plain(p)
			integer, pointer :: p
		end subroutine
	end interface
	integer, pointer :: p
	allocate(p)
	call nested()
contains
	subroutine nested()
		call plain(p)
	end subroutine
end program
