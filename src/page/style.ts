/** The style of conversations and comparisons: every colour exists once, for both themes. */
export const STYLE = `:root {
  color-scheme: light dark;
  --bg: light-dark(#fafaf8, #101216);
  --surface: light-dark(#ffffff, #171a20);
  --sunken: light-dark(#f2f2ee, #0b0d10);
  --hover: light-dark(#f4f4f0, #1d2128);
  --line: light-dark(#e3e3dd, #272c35);
  --line-2: light-dark(#cfcfc7, #3a414d);
  --text: light-dark(#1b1c20, #e7e8eb);
  --text-2: light-dark(#555861, #a7acb6);
  --text-3: light-dark(#686c75, #8d939e);
  --accent: light-dark(#3a48c4, #97a4ff);
  --accent-bg: light-dark(#eceefd, #20264a);
  --on-accent: light-dark(#ffffff, #0f1230);
  --b1: light-dark(#3a48c4, #97a4ff); --b1-bg: light-dark(#eceefd, #1f2444);
  --b2: light-dark(#08736a, #53d0bf); --b2-bg: light-dark(#e0f4f1, #102f2c);
  --b3: light-dark(#9c4a06, #f0a860); --b3-bg: light-dark(#fcefe1, #372412);
  --b4: light-dark(#98266f, #ee8fd0); --b4-bg: light-dark(#fae8f4, #3a1a30);
  --good: light-dark(#18713a, #62cf86); --good-bg: light-dark(#e2f5e7, #11301d);
  --bad: light-dark(#b3261e, #ff8f86); --bad-bg: light-dark(#fdeae8, #3c1614);
  --add: light-dark(#e6f6e9, #12291a); --add-2: light-dark(#b4e6bf, #235c36);
  --del: light-dark(#fdecea, #321615); --del-2: light-dark(#f6c3bd, #74302b);
  --k1: light-dark(#8a2bb0, #cf9bff); --k2: light-dark(#1d6b35, #8fd39e); --k3: light-dark(#5f636b, #9aa0aa); --k4: light-dark(#0a5fa3, #7cc0ff);
  /* Series of charts and the tiles of agents: muted, so that they are never read as branches. */
  --c1: light-dark(#ad6a44, #cf9670); --c2: light-dark(#5f8566, #93b698); --c3: light-dark(#5577a3, #8eb0d8); --c4: light-dark(#86628f, #ba9ac5);
  --sans: system-ui, -apple-system, "Segoe UI", "Noto Sans", "DejaVu Sans", sans-serif;
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", "JetBrains Mono", "DejaVu Sans Mono", monospace;
  --r: 10px; --shadow: 0 1px 2px light-dark(#0000000d, #0006), 0 6px 24px light-dark(#0000000a, #0004);
}
:root[data-theme="light"] { color-scheme: light; }
:root[data-theme="dark"] { color-scheme: dark; }
*, ::before, ::after { box-sizing: border-box; }
body { margin: 0; background: var(--bg); color: var(--text); font: 14px/1.45 var(--sans); font-variant-numeric: tabular-nums; -webkit-font-smoothing: antialiased; }
a { color: inherit; text-decoration: none; }
button { font: inherit; color: inherit; background: none; border: 0; padding: 0; cursor: pointer; }
h1, h2, h3, p, ul, ol, dl, dd, figure { margin: 0; padding: 0; }
ul, ol { list-style: none; }
svg { display: block; flex: none; }
.i { width: 16px; height: 16px; fill: none; stroke: currentColor; stroke-width: 1.5; stroke-linecap: round; stroke-linejoin: round; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 6px; }
code, pre, kbd, .mono, .diff, .out { font-family: var(--mono); font-size: .92em; font-variant-ligatures: none; }
.vh { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.skip { position: absolute; left: 8px; top: -60px; background: var(--accent); color: var(--on-accent); padding: 8px 14px; border-radius: 8px; z-index: 9; }
.skip:focus { top: 8px; }
.grow { flex: 1; min-width: 0; }
.muted { color: var(--text-2); } .faint { color: var(--text-3); }
.ell { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.num { text-align: right; font-variant-numeric: tabular-nums; }

.chip { display: inline-flex; align-items: center; gap: 5px; height: 22px; padding: 0 8px; border-radius: 11px; background: var(--sunken); color: var(--text-2); font-size: 12px; white-space: nowrap; }
.chip.b1 { background: var(--b1-bg); color: var(--b1); } .chip.b2 { background: var(--b2-bg); color: var(--b2); } .chip.b3 { background: var(--b3-bg); color: var(--b3); } .chip.b4 { background: var(--b4-bg); color: var(--b4); }
.chip.good { background: var(--good-bg); color: var(--good); } .chip.bad { background: var(--bad-bg); color: var(--bad); }
.chip .i { width: 13px; height: 13px; }
.agent { display: grid; place-items: center; width: 28px; height: 28px; border-radius: 8px; font: 650 12px/1 var(--mono); }
.agent { background: var(--sunken); border: 1px solid var(--line); }
.agent.c1 { color: light-dark(#8f5331, var(--c1)); } .agent.c2 { color: light-dark(#3f6546, var(--c2)); } .agent.c3 { color: light-dark(#3b5d88, var(--c3)); } .agent.c4 { color: light-dark(#6d4b77, var(--c4)); }
.g1 { fill: var(--c1); } .g2 { fill: var(--c2); } .g3 { fill: var(--c3); } .g4 { fill: var(--c4); }
.s1 { stroke: var(--b1); } .s2 { stroke: var(--b2); } .s3 { stroke: var(--b3); } .s4 { stroke: var(--b4); } .sl { stroke: var(--line-2); }
.f1 { fill: var(--b1); } .f2 { fill: var(--b2); } .f3 { fill: var(--b3); } .f4 { fill: var(--b4); } .fl { fill: var(--line-2); } .fg { fill: var(--good); } .fs { fill: var(--surface); } .ft { fill: var(--text-3); }
.rail { fill: none; stroke-width: 2; stroke-linecap: round; }

.card { background: var(--surface); border: 1px solid var(--line); border-radius: var(--r); }
.read { max-width: 800px; margin: 0 auto; padding: 24px 36px 120px; }
.m { display: grid; grid-template-columns: 28px minmax(0, 1fr); gap: 0 14px; padding: 10px 0; position: relative; }
.m > .agent, .m > .me { margin-top: 1px; }
.me { display: grid; place-items: center; width: 28px; height: 28px; border-radius: 50%; background: var(--text); color: var(--bg); }
.m .hd { display: flex; align-items: baseline; gap: 8px; font-size: 13px; color: var(--text-3); }
.m .hd b { color: var(--text); font-weight: 600; }
.m .hd .act { margin-left: auto; display: flex; gap: 12px; opacity: 0; }
.m:hover .hd .act, .m:focus-within .hd .act { opacity: 1; }
.m .body { font-size: 15px; line-height: 1.62; margin-top: 3px; }
.m .body p + p, .m .body p + ul, .m .body ul + p { margin-top: 10px; }
.m .body ul { list-style: disc; padding-left: 20px; }
.m .body li + li { margin-top: 3px; }
.m .body code { background: var(--sunken); border-radius: 5px; padding: 1px 5px; font-size: 13px; }
.m.user .body { background: var(--surface); border: 1px solid var(--line); border-radius: 4px 14px 14px 14px; padding: 10px 14px; margin-top: 6px; }
.tools { margin: 12px 0 10px; border: 1px solid var(--line); border-radius: var(--r); background: var(--surface); overflow: hidden; font-size: 13px; }
.tool { display: flex; align-items: center; gap: 10px; min-height: 36px; padding: 0 12px; width: 100%; text-align: left; }
.tool + .tool, .tool + .diff, .out { border-top: 1px solid var(--line); }
.tool:hover { background: var(--hover); }
.tool .nm { font-weight: 560; width: 44px; }
.out { padding: 10px 14px; background: var(--sunken); font: 12.5px/1.55 var(--mono); white-space: pre-wrap; color: var(--text-2); margin: 0; overflow: auto; }
.diff { width: 100%; border-collapse: collapse; font: 12.5px/1.6 var(--mono); table-layout: fixed; }
.diff td { padding: 0 12px; white-space: pre-wrap; overflow-wrap: anywhere; vertical-align: top; }
.diff td.ln { width: 44px; padding: 0 8px; text-align: right; color: var(--text-3); user-select: none; }
.diff .a { background: var(--add); } .diff .d { background: var(--del); }
mark *, .diff mark * { color: inherit; }
mark.m1 { background: light-dark(#dfe2fb, #303a78); } mark.m4 { background: light-dark(#f5d3e8, #5f2a4c); } mark.m2 { background: light-dark(#c5ece6, #17504a); } mark.m3 { background: light-dark(#f8dcbd, #5c3a18); }
mark { color: inherit; border-radius: 3px; padding: 0 1px; }
.a mark { background: var(--add-2); } .d mark { background: var(--del-2); }
.kw { color: var(--k1); } .st { color: var(--k2); } .cm { color: var(--k3); font-style: italic; } .fn { color: var(--k4); }
.fork { margin: 16px 0; border: 1px solid var(--line); border-radius: 14px; background: var(--surface); box-shadow: var(--shadow); overflow: hidden; }
.fork .hd { display: flex; align-items: center; gap: 10px; padding: 10px 12px 10px 14px; font-weight: 600; }
.fork .hd .step { margin-left: auto; display: flex; align-items: center; gap: 4px; font-weight: 500; color: var(--text-2); }
.fork .step .icon { width: 28px; height: 28px; }
.att { display: grid; grid-template-columns: 26px 130px minmax(0, 1fr) auto 52px 62px; gap: 10px; align-items: center; padding: 8px 14px 8px 12px; border-top: 1px solid var(--line); font-size: 13px; width: 100%; text-align: left; }
.att:hover { background: var(--hover); }
.att[aria-current="true"] { background: var(--b1-bg); } .att.h2[aria-current="true"] { background: var(--b2-bg); } .att.h3[aria-current="true"] { background: var(--b3-bg); } .att.h4[aria-current="true"] { background: var(--b4-bg); }
.att b { font-weight: 600; }
.cut { margin: 22px 0; color: var(--text-3); font-size: 12.5px; }
.sub-a { margin: 12px 0 2px; border: 1px solid var(--line); border-left: 3px solid var(--b4); border-radius: var(--r); background: var(--surface); padding: 10px 14px; font-size: 13.5px; }
.sub-a .hd { display: flex; gap: 8px; align-items: center; font-weight: 560; }
/* Compare */
.cmp { max-width: 1320px; margin: 0 auto; padding: 22px 24px 80px; }
.ends { display: grid; grid-auto-flow: column; grid-auto-columns: minmax(0, 1fr); gap: 20px; }
.end { padding: 12px 16px 14px; border-top: 3px solid var(--b1); }
.end.h2 { border-top-color: var(--b2); } .end.h3 { border-top-color: var(--b3); } .end.h4 { border-top-color: var(--b4); }
.end .hd { display: flex; align-items: center; gap: 8px; }
.end h2 { font-size: 16px; font-weight: 640; letter-spacing: -.01em; }
.end p { color: var(--text-2); margin-top: 4px; }
.score { margin: 20px 0 26px; overflow: hidden; }
.score table { width: 100%; border-collapse: collapse; }
.score th { text-align: left; font-weight: 500; color: var(--text-2); padding: 7px 16px; width: 180px; }
.score thead th { font-size: 12.5px; color: var(--text-3); border-bottom: 1px solid var(--line); }
.score td { padding: 5px 16px; }
.score tbody tr + tr > * { border-top: 1px solid var(--line); }
.score .cell { display: grid; grid-template-columns: 88px minmax(0, 1fr); align-items: center; gap: 12px; }
.score .cell svg { width: 100%; height: 8px; }
.score .win { font-weight: 640; color: var(--good); display: inline-flex; align-items: center; gap: 5px; }
.lose { opacity: .38; }
.score .win .i { width: 14px; height: 14px; stroke-width: 2.2; }
.common { display: flex; align-items: center; justify-content: center; gap: 10px; padding: 9px; border: 1px dashed var(--line-2); border-radius: var(--r); color: var(--text-2); width: 100%; }
.common:hover { background: var(--hover); }
.split { display: block; width: 100%; height: 44px; margin: 0; }
.pair { display: grid; grid-template-columns: 1fr 1fr; gap: 20px; margin-bottom: 14px; align-items: stretch; }
.msg { padding: 11px 15px 13px; min-width: 0; }
.msg.none { background: repeating-linear-gradient(135deg, transparent 0 7px, var(--sunken) 7px 14px); display: grid; place-items: center; color: var(--text-2); font-size: 13px; }
.msg .hd { display: flex; gap: 8px; align-items: center; color: var(--text-3); font-size: 12.5px; margin-bottom: 4px; }
.msg .hd b { color: var(--text); font-weight: 600; }
.msg p { line-height: 1.58; }
.msg .tools { margin-top: 8px; }
.said { white-space: pre-wrap; overflow-wrap: anywhere; }
.files { overflow: hidden; }
.files table { width: 100%; border-collapse: collapse; font-size: 13px; }
.files th, .files td { padding: 7px 16px; text-align: left; border-top: 1px solid var(--line); }
.files thead th { border-top: 0; color: var(--text-3); font-weight: 500; font-size: 12.5px; }
.files td.num, .files th.num { text-align: right; }
.plus { color: var(--good); } .minus { color: var(--bad); }
.pm { display: inline-flex; gap: 6px; font-variant-numeric: tabular-nums; }
.mark-sign { width: 22px; height: 22px; }
.m.more { padding-top: 0; }
.m .hd .act { opacity: 0; color: var(--text-3); align-self: center; padding: 5px; margin: -5px 0 -5px auto; border-radius: 6px; }
.m:hover .hd .act, .m:focus-within .hd .act { opacity: 1; }
.m .mc { min-width: 0; }
.m.system .body { color: var(--text-2); font-size: 13.5px; }
.md { overflow-wrap: anywhere; } .m.user .md p { white-space: pre-line; } .task { color: var(--text-3); } .task.done { color: var(--good); }
.md.plain { white-space: pre-wrap; }
.md > * + * { margin-top: 10px; }
.md h3, .md h4, .md h5, .md h6 { font-size: 15px; font-weight: 650; margin-top: 18px; line-height: 1.4; }
.md h3 { font-size: 17px; } .md > :first-child { margin-top: 0; }
.md ul { list-style: disc; padding-left: 20px; } .md ol { list-style: decimal; padding-left: 22px; }
.md li > ul, .md li > ol, .md li > p + p, .md li > .code { margin-top: 4px; }
.md a { color: var(--accent); text-decoration: underline; text-underline-offset: 2px; text-decoration-thickness: 1px; }
.md blockquote { margin-inline: 0; padding-left: 14px; border-left: 3px solid var(--line-2); color: var(--text-2); }
.md hr { border: 0; border-top: 1px solid var(--line); margin: 16px 0; }
.md .scroll { overflow-x: auto; }
.md table { border-collapse: collapse; font-size: 13.5px; line-height: 1.45; min-width: 50%; }
.md th { text-align: left; font-weight: 600; color: var(--text-2); }
.md th, .md td { padding: 6px 14px 6px 0; border-bottom: 1px solid var(--line); vertical-align: top; }
pre.code { margin: 10px 0; padding: 11px 14px; background: var(--sunken); border-radius: 8px; font: 12.5px/1.6 var(--mono); overflow: auto; max-height: 480px; font-variant-ligatures: none; tab-size: 4; }
.m .body pre.code code, pre.code code { background: none; padding: 0; font-size: inherit; }
.tool-fold > pre.code { margin: 0; border-radius: 0; border-top: 1px solid var(--line); }
.tool-fold > .diff { border-top: 1px solid var(--line); }
.tools .out { max-height: 420px; }
.tools > div + div { border-top: 1px solid var(--line); }
.out.bad { color: var(--bad); } p.out { font-family: var(--sans); }
.tool .nm { width: auto; min-width: 44px; max-width: 40%; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
details > summary { cursor: pointer; list-style: none; } details > summary::-webkit-details-marker { display: none; }
.aside { margin: 6px 0; font-size: 13px; color: var(--text-3); }
.aside > summary { display: flex; align-items: center; gap: 8px; padding: 3px 6px 3px 0; border-radius: 6px; }
.aside > summary:hover { color: var(--text); }
.aside .nm { font-weight: 560; color: var(--text-2); }
.aside .said { white-space: pre-wrap; overflow-wrap: anywhere; padding: 6px 0 6px 14px; margin-left: 7px; border-left: 2px solid var(--line); color: var(--text-2); line-height: 1.55; }
.cut > summary { display: flex; align-items: center; gap: 12px; }
.cut > summary::before, .cut > summary::after { content: ''; flex: 1; border-top: 1px dashed var(--line-2); }
.cut .more { color: var(--accent); font-weight: 550; margin-left: 8px; } .cut[open] .more { display: none; }
.cut .summary { margin: 12px 0; padding: 14px 18px; border: 1px dashed var(--line-2); border-radius: var(--r); color: var(--text-2); font-size: 14px; line-height: 1.55; max-height: 60vh; overflow: auto; }
.setting { color: var(--text-3); font-size: 12.5px; padding: 2px 0 2px 42px; overflow-wrap: anywhere; }
.mc .setting { padding-left: 0; }
.absent { display: inline-flex; align-items: center; gap: 6px; color: var(--text-3); font-size: 12.5px; border: 1px dashed var(--line-2); border-radius: 6px; padding: 2px 8px; overflow-wrap: anywhere; margin-top: 4px; }
.todos { padding: 10px 14px; border-top: 1px solid var(--line); background: var(--sunken); line-height: 1.6; }
.sub-a a { color: var(--accent); }
.diff col.cl { width: 44px; } .diff col.cs { width: 18px; } .diff td.sg { padding: 0; color: var(--text-3); user-select: none; text-align: center; }
.diff .a td.sg { color: var(--good); } .diff .d td.sg { color: var(--bad); }
.diff .skip-lines td { color: var(--text-3); background: var(--sunken); text-align: center; font: 12px/1.9 var(--sans); }
.nu { color: var(--k4); } .va { color: var(--k1); } .de { color: var(--bad); } .in { color: var(--good); }
.legend { display: flex; flex-wrap: wrap; gap: 4px 14px; color: var(--text-2); font-size: 12px; margin-top: 8px; }
.legend span { display: inline-flex; align-items: center; gap: 6px; } .legend svg { width: 9px; height: 9px; }
.meter { width: 100%; height: 10px; border-radius: 5px; }
.split { overflow: visible; }
.m .fork .hd { color: var(--text); font-size: 14px; align-items: center; }
.picture { max-width: 100%; border-radius: 8px; border: 1px solid var(--line); }
.facts { display: grid; grid-template-columns: auto 1fr; gap: 5px 16px; font-size: 13px; margin: 14px 0 0; }
.facts dt { color: var(--text-2); } .facts dd { overflow-wrap: anywhere; }
@media (max-width: 760px) {
  .m { grid-template-columns: minmax(0, 1fr); } .m > .agent, .m > .me { position: absolute; left: 0; top: 9px; width: 24px; height: 24px; } .m .hd { padding-left: 34px; min-height: 24px; align-items: center; } .m.more > span:first-child { display: none; }
  .setting { padding-left: 0; }
}
@media print { .fork .step, .act { display: none; } details > summary { break-after: avoid; } }
`

/** The style of files to share beyond that of the page. */
export const FILE_STYLE = `.file-hd { border-bottom: 1px solid var(--line); padding-bottom: 18px; margin-bottom: 10px; }
.file-hd h1 { font-size: 24px; font-weight: 660; letter-spacing: -.015em; line-height: 1.3; margin-top: 14px; overflow-wrap: anywhere; }
.file-ft { color: var(--text-3); font-size: 12.5px; padding-top: 30px; text-align: center; }
`
