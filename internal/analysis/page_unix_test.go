//go:build unix

package analysis_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"omcbuild/internal/analysis"
)

func page(t *testing.T) []byte {
	t.Helper()
	b, _, _ := describe(t, files())
	other, _, _ := describe(t, map[string]string{"src/main.js": "console.log(1)", "package.json": `{"name":"other"}`})
	other.Name = "second"
	html, err := analysis.Page("acorn 1.2.0", []*analysis.Bundle{b, other})
	if err != nil {
		t.Fatal(err)
	}
	return html
}

const (
	focused = `(document.activeElement.getAttribute("aria-label") || document.activeElement.id).split(",")[0]`
	here    = `document.querySelector("#trail [aria-current]").textContent.split(",")[0]`
)

func TestPageIsUsedByKeyboard(t *testing.T) {
	b := openPage(t, page(t))
	b.expect(`document.querySelectorAll("#map .tile").length`, "6")
	b.run(chromedp.Focus("#view"))
	b.press(kb.Tab) // the one stop of the map
	b.expect(focused, "(own files) 1.2.0")
	b.press(kb.Enter)
	b.expect(here, "(own files) 1.2.0")
	b.expect(focused, "deep/er") // folders that hold one folder only are joined
	b.press(kb.Enter)
	b.expect(here, "deep/er")
	b.expect(`document.activeElement.className`, "tile leaf")
	b.press(kb.Enter)
	b.expect(`document.getElementById("live").textContent.split(",")[0]`, "src/deep/er/a.js")
	b.press(kb.Escape)
	b.expect(focused, "deep/er")
	b.press(kb.End)
	b.expect(`document.activeElement === document.querySelector("#map").lastElementChild`, "true")
	b.press(kb.Home)
	b.expect(`document.activeElement === document.querySelector("#map").firstElementChild`, "true")
	b.expect(`document.querySelectorAll("#map [tabindex='0']").length`, "1")
	b.press(kb.Escape)
	b.expect(here, "out/main.cjs")
	b.expect(focused, "(own files) 1.2.0") // where it came from
	before := `document.activeElement.getBoundingClientRect().left`
	left := b.value(before).(float64)
	b.press(kb.ArrowRight)
	if right := b.value(before).(float64); right <= left {
		t.Errorf("the arrow to the right led from %v to %v", left, right)
	}
	b.press(kb.ArrowLeft)
	b.expect(focused, "(own files) 1.2.0")
	b.expect(`document.getElementById("hover").textContent.includes("%")`, "true")
	b.harmless()
}

// The page says whose bundle it is, and every label with room has the whole size.
func TestPageNamesPluginAndSizes(t *testing.T) {
	b := openPage(t, page(t))
	b.expect(`document.getElementById("title").textContent`, "acorn 1.2.0: what is in the bundle")
	b.expect(`document.title`, "acorn 1.2.0: what is in the bundle")
	b.expect(`[...document.querySelectorAll("#map > .tile > .name > .word")].some((e) => e.textContent === "(rest)")`, "true")
	b.expect(`[...document.querySelectorAll("#map .part > .name > .size")].some((e) => /^[0-9.]+ k?B$/.test(e.textContent))`, "true")
	b.run(chromedp.EmulateViewport(360, 800))
	b.settle()
	b.expect(`[...document.querySelectorAll(".size")].every((e) => e.getBoundingClientRect().right <= e.closest(".tile, .part").getBoundingClientRect().right)`, "true")
	b.harmless()
}

func TestPageFindsAndListsFiles(t *testing.T) {
	described, _, _ := describe(t, files())
	total := described.Bytes
	b := openPage(t, page(t))
	b.run(chromedp.SendKeys("#search", "deep/er"))
	b.expect(`document.getElementById("live").textContent.split(",")[0]`, "2 files match")
	b.expect(`document.querySelectorAll("#map .tile:not(.dim)").length`, "1")
	b.run(chromedp.Click("#view"))
	b.expect(`[...document.querySelectorAll("#rows tr")].map((r) => r.cells[0].textContent).join()`, "src/deep/er/a.js,src/deep/er/b.js")
	b.value(`document.getElementById("search").value = ""; document.getElementById("search").dispatchEvent(new Event("input"))`)
	b.expect(`document.querySelectorAll("#rows button").length`, "6")
	// The table says what the tiles say: all bytes of the bundle.
	b.expect(`[...document.querySelectorAll("#rows tr")].reduce((sum, r) => sum + Number(r.cells[3].textContent), 0) === `+fmt.Sprint(total), "true")
	b.harmless()
}

func TestPageSwitchesBundlesAndFits(t *testing.T) {
	b := openPage(t, page(t))
	for _, width := range []int64{360, 768, 1920} {
		b.run(chromedp.EmulateViewport(width, 800))
		b.settle()
		b.expect(`document.documentElement.scrollWidth <= innerWidth`, "true")
		b.expect(`document.getElementById("map").clientHeight >= 320`, "true")
	}
	b.run(chromedp.SendKeys("#bundle", "second"))
	b.expect(`document.getElementById("bundle").value`, "1")
	b.expect(`document.querySelectorAll("#map .tile").length`, "2")
	b.harmless()
}

// Names are text, in the file and on the screen.
func TestPageKeepsHostileNamesAsText(t *testing.T) {
	html := page(t)
	if n := bytes.Count(html, []byte("</script>")); n != 2 {
		t.Errorf("%d ends of scripts, want those of the data and of the script", n)
	}
	if bytes.ContainsAny(html, "\u2028\u202e") {
		t.Error("the page holds characters that cannot be seen")
	}
	b := openPage(t, html)
	b.expect(`document.querySelectorAll("img, b, iframe, object, [onerror]").length + document.scripts.length`, "2")
	b.expect(`Object.prototype.hasOwnProperty("constructor.js")`, "false")
	b.run(chromedp.Click("#view"), chromedp.SendKeys("#search", "alert"))
	b.expect(`[...document.querySelectorAll("#rows tr")].filter((r) => r.textContent.includes("onerror=alert(1)>") || r.textContent.includes("<script>alert(2)")).length`, "2")
	b.expect(`document.querySelectorAll("img, b").length`, "0")
	b.harmless()
}

func TestPageIsSmallAndClosed(t *testing.T) {
	html, err := analysis.Page("", nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(html) > 100_000 {
		t.Errorf("the page has %d bytes without data, more than 100 kB", len(html))
	}
	for _, word := range []string{"http:", "https:", "//cdn", "src=", "url(", "@import", "innerHTML", "insertAdjacentHTML", "document.write", "eval("} {
		if bytes.Contains(html, []byte(word)) {
			t.Errorf("the page holds %q", word)
		}
	}
	_, data, _ := strings.Cut(string(page(t)), `type="application/json">`)
	data, _, _ = strings.Cut(data, "</script>")
	var read struct{ Bundles []struct{ Name string } }
	if err := json.Unmarshal([]byte(data), &read); err != nil || len(read.Bundles) != 2 {
		t.Errorf("the data cannot be read: %v, %+v", err, read)
	}
}
