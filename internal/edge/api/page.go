package api

// Collection is a page of resources.
type Collection[T any] struct {
	Data     []T
	Included []any
	Next     *string
	Prev     *string
}

func (c Collection[T]) any() Collection[any] {
	list := make([]any, len(c.Data))
	for i, v := range c.Data {
		list[i] = v
	}
	return Collection[any]{list, c.Included, c.Next, c.Prev}
}

// PaginationLinks are the links of a page, null at the ends.
type PaginationLinks struct {
	First *string `json:"first"`
	Last  *string `json:"last"`
	Prev  *string `json:"prev"`
	Next  *string `json:"next"`
}

// NumberedLinks are the links of numbered pages, omitted at the ends.
type NumberedLinks struct {
	First string `json:"first,omitempty"`
	Last  string `json:"last,omitempty"`
	Prev  string `json:"prev,omitempty"`
	Next  string `json:"next,omitempty"`
}

// NumberedMeta is the position of a numbered page.
type NumberedMeta struct {
	CurrentPage int     `json:"current_page" minimum:"1"`
	From        *int    `json:"from" minimum:"1"`
	Path        *string `json:"path"`
	PerPage     int     `json:"per_page" minimum:"0"`
	To          *int    `json:"to" minimum:"1"`
}

// PaginationMeta is the position of a page.
type PaginationMeta struct {
	Path       *string `json:"path"`
	PerPage    int     `json:"per_page" minimum:"0"`
	NextCursor *string `json:"next_cursor"`
	PrevCursor *string `json:"prev_cursor"`
}
