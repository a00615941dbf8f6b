module example.org/harbour/gateway

go 1.23

require github.com/go-chi/chi/v5 v5.2.1
