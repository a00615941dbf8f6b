module example.org/summaryd

go 1.23

require (
	github.com/go-chi/chi/v5 v5.2.1
	github.com/sashabaranov/go-openai v1.41.2
)
