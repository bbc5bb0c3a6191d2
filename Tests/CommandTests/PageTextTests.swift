import Server
import Testing

@testable import HearthCommand

/// The page's sources as they are served.
@Suite("Text of the page")
struct PageTextTests {
  private func served(_ sources: [String: String]) -> (texts: [String: String], linked: Set<String>) {
    let text = PageText(sources.map { WebFile(path: $0, bytes: Array($1.utf8)) })
    return (text.bytes.mapValues { String(decoding: $0, as: UTF8.self) }, text.linked)
  }

  @Test("a script keeps its meaning without comments and space")
  func squeezed() throws {
    for (source, wanted) in [
      ("// One.\nconst one = \"// kept\"; // gone\n/** Two. */\nlet two;", "const one=\"// kept\";let two;"),
      ("const a = 'it\\'s // \"', b = /* none */ 2;", "const a='it\\'s // \"',b=2;"),
      ("const half = (a + b) / 2 / c[0] / d;", "const half=(a+b)/2/c[0]/d;"),
      (
        "x = /[/*\"]\\/ +/g.test(y) ? / / : `a  ${ { b: `//  ${ c }` }.b }  d`;",
        "x=/[/*\"]\\/ +/g.test(y)?/ /:`a  ${{b:`//  ${c}`}.b}  d`;"
      ),
      ("return /a b/.test(c) + +d - -e + f++;", "return/a b/.test(c)+ +d- -e+f++;"),
      (
        "for (const a of /é /g.exec(b) ?? []) if (#c in a) return a;",
        "for(const a of/é /g.exec(b)??[])if(#c in a)return a;"
      ),
      (
        "class A {\n  #b = 1;\n  get c() {\n    return this.#b;\n  }\n}\nnew A();",
        "class A{#b=1;get c(){return this.#b;}}new A();"
      ),
      ("\"open", "\"open"), ("`open ${", "`open ${"), ("/* open", ""), ("x = /open", "x=/open"), ("", ""),
    ] {
      #expect(served(["a.js": source]).texts["a.js"] == wanted)
    }
    #expect(
      served(["a.css": "/* One. */\na {\n  /* Two\n   lines. */\n  top: 0;\n}\n"]).texts["a.css"] == "a {\ntop: 0;\n}\n"
    )
  }

  @Test("modules that all screens need are one script, and the others take from it")
  func linked() throws {
    let sources = [
      "app.js": """
      import { b, c as d } from "./parts/b.js";
      import "./parts/e.js";
      const load = () => import("./screens/f.js");
      """,
      "parts/b.js": """
      import {
        g,
      } from "../hearth/g.js";
      export const b = () => import(`../strings/${g}.js`);
      class c {}
      export { c };
      """,
      "parts/e.js": "import { b } from \"./b.js\";\nb();",
      "hearth/g.js": "export async function g() {}",
      "screens/f.js": """
      import { g as i } from "../hearth/g.js";
      import { j } from "./j.js";
      export const f = i;
      """,
      "screens/j.js": "export let j = 1;",
    ]
    let (texts, linked) = served(sources)
    #expect(linked == ["parts/b.js", "parts/e.js", "hearth/g.js"])
    #expect(
      texts["app.js"] == """
        let $0;{async function g(){}$0={g};}\
        let $1;{const{g,}=$0;const b=()=>import(`./strings/${g}.js`);class c{}$1={b,c};}\
        let $2;{const{b}=$1;b();$2={};}\
        let $3;{const{b,c:d}=$1;const load=()=>import("./screens/f.js");$3={};}\
        export{$0,$1,$2,$3};
        """)
    #expect(
      texts["screens/f.js"] == "import{$0}from\"../app.js\";const{g:i}=$0;import{j}from\"./j.js\";export const f=i;")
    #expect(texts["screens/j.js"] == "export let j=1;")
    #expect(texts["hearth/g.js"] == "export async function g(){}")
  }

  @Test("the modules of the first screen are one script, which others take from, and one that is loaded is found")
  func firstScreen() throws {
    let sources = [
      "app.js": """
      import { b } from "./parts/b.js";
      const load = [() => import("./screens/home.js"), () => import("./screens/note.js")];
      """,
      "parts/b.js": "export const b = 1;",
      "screens/home.js": """
      import { b } from "../parts/b.js";
      import { c } from "../parts/c.js";
      import { note } from "./note.js";
      export const render = () => import("../parts/d.js");
      """,
      "parts/c.js": "export const c = await 2;",
      "parts/d.js": "import { c } from \"./c.js\";\nexport const d = () => import(\"./e.js\");",
      "screens/note.js": """
      import { c } from "../parts/c.js";
      export function note() {}
      export const n = () => import("./o.js");
      """,
    ]
    let (texts, linked) = served(sources)
    #expect(linked == ["parts/b.js", "parts/c.js"])
    #expect(
      texts["screens/home.js"] == """
        import{$0}from"../app.js";\
        let $2;{const c=await 2;$2={c};}\
        let $3;{const{c}=$2;function note(){}const n=()=>import("../screens/o.js");$3={note,n};}\
        let $4;{const{b}=$0;const{c}=$2;const{note}=$3;const render=()=>import("../parts/d.js");$4={render};}\
        export const{render}=$4;export{$2,$3,$4};
        """)
    #expect(texts["screens/note.js"] == "import{$3}from\"../screens/home.js\";export const{note,n}=$3;")
    #expect(
      texts["parts/d.js"] == "import{$2}from\"../screens/home.js\";const{c}=$2;export const d=()=>import(\"./e.js\");")
  }

  @Test(
    "sources in forms that cannot be linked are served as they are written",
    arguments: [
      "export let b = 1;", "export default 1;", "export * from \"./c.js\";", "import b from \"./c.js\";",
      "export const b = import.meta.url;", "import { a } from \"../app.js\";\nexport const b = a;",
      "import { c } from \"./none.js\";\nexport const b = c;",
    ])
  func unlinked(_ part: String) throws {
    let sources = ["app.js": "import { b } from \"./parts/b.js\";\nexport const a = b;", "parts/b.js": part]
    let (texts, linked) = served(sources)
    #expect(linked.isEmpty && texts["app.js"] == "import{b}from\"./parts/b.js\";export const a=b;")
  }

  @Test("the page in this program is linked")
  func page() throws {
    let text = PageText(PageFiles.embedded)
    #expect(text.linked.isSuperset(of: ["parts/signal.js", "parts/words.js", "hearth/hearth.js", "parts/chores.js"]))
    #expect(text.bytes.keys.sorted() == PageFiles.embedded.map(\.path).sorted())
  }
}
