package figure

// shareNotation labels the logarithmic axes of panels side by side and under each other
// alike: where one needs powers of ten all others along the same side have them, too.
func shareNotation(panels [][]Panel) {
	x, y := false, false
	each(panels, func(p Panel) Panel {
		switch p := p.(type) {
		case Chart:
			f := p.frame()
			x, y = x || f.x.needsPowers(), y || f.y.needsPowers()
		case Dots:
			x = x || p.frame().x.needsPowers()
		}
		return p
	})
	each(panels, func(p Panel) Panel {
		switch p := p.(type) {
		case Chart:
			p.X.powers, p.Y.powers = x, y
			return p
		case Dots:
			p.X.powers = x
			return p
		}
		return p
	})
}

// each puts what become of them in the places of panels.
func each(panels [][]Panel, become func(Panel) Panel) {
	for _, row := range panels {
		for c, p := range row {
			row[c] = become(p)
		}
	}
}
