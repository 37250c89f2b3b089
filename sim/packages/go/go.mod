module github.com/tideover/tideover/sim/packages/go

go 1.19
