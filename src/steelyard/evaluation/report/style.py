"""The style sheet of a report: light, dark and on paper."""

STYLE = """
:root {
  --paper: #fff; --ink: #1c1e21; --faint: #6b7178; --rule: #d9dce0; --a: #2f6fb4; --b: #c2571a;
  --c: #2d8659; --d: #8250a5; --good: #1f7a44; --bad: #b3382c;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #16181b; --ink: #e4e6e9; --faint: #9aa1a9; --rule: #363b41; --a: #6ea8e6;
    --b: #ee9a66; --c: #6cc596; --d: #c39ae0; --good: #6cc596; --bad: #ef8a80;
  }
}
@media print {
  :root { --paper: #fff; --ink: #000; --faint: #444; --rule: #bbb; }
  body { font-size: 9pt; }
  section, figure, tr { break-inside: avoid; }
  details > * { display: block; }
}
body {
  background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, sans-serif;
  margin: 2rem auto; max-width: 75rem; padding: 0 1rem;
}
h1 { font-size: 1.6rem; } h2 { font-size: 1.25rem; margin-top: 2.5rem; } h3 { font-size: 1.05rem; }
p.note, figcaption { color: var(--faint); font-size: 0.85rem; max-width: 60rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: 0.85rem; }
th, td { border-bottom: 1px solid var(--rule); padding: 0.25rem 0.7rem 0.25rem 0; }
th, td { text-align: left; }
td { vertical-align: top; }
.charts { display: flex; flex-wrap: wrap; gap: 0.5rem 1.5rem; }
figure { margin: 0.5rem 0; }
svg.chart { width: 340px; max-width: 100%; height: auto; }
svg text { fill: var(--ink); font-size: 10.5px; }
svg .tick, svg .name { text-anchor: middle; } svg .end { text-anchor: end; }
svg .tick { fill: var(--faint); }
svg line.axis { stroke: var(--ink); } svg line.grid { stroke: var(--rule); stroke-width: 0.6; }
svg line.diagonal { stroke: var(--faint); stroke-dasharray: 4 3; }
svg polyline { fill: none; stroke-width: 1.8; }
svg .whisker { stroke-width: 1.1; } svg .ink { stroke: var(--ink); }
svg .dot { fill-opacity: 0.65; } svg .bar { fill-opacity: 0.55; }
svg .a { fill: var(--a); stroke: var(--a); } svg .b { fill: var(--b); stroke: var(--b); }
svg .c { fill: var(--c); stroke: var(--c); } svg .d { fill: var(--d); stroke: var(--d); }
svg polyline.curve { fill: none; }
.key span { border-bottom: 3px solid; margin-right: 1.2rem; padding-bottom: 1px; }
.key .a { border-color: var(--a); } .key .b { border-color: var(--b); }
.confusion td { background: color-mix(in srgb, var(--a) calc(var(--share) * 55%), transparent);
  padding: 0.25rem 0.7rem; text-align: right; }
.good { color: var(--good); } .bad { color: var(--bad); }
.error { border-left: 3px solid var(--rule); margin: 1rem 0; padding-left: 1rem; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; font-size: 0.85rem; max-height: 20rem;
  overflow-y: auto; }
@media print { pre { max-height: none; } }
"""
