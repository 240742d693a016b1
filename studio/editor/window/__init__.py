"""The roof: the window, its menus and commands, and what joins the parts."""
