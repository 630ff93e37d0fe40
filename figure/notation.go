package figure

// shareNotation makes the logarithmic axes of all panels use the same notation: if one
// axis needs powers of ten, all axes in the same direction use them.
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

// each replaces every panel p by become(p).
func each(panels [][]Panel, become func(Panel) Panel) {
	for _, row := range panels {
		for c, p := range row {
			row[c] = become(p)
		}
	}
}
