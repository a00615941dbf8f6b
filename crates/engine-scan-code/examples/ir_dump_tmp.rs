//! Temporary.
fn main() {
    let p = std::env::args().nth(1).unwrap();
    let t = std::fs::read_to_string(&p).unwrap();
    let m = engine_syntax::lower(engine_model::Language::of_path(&p), &t).unwrap();
    for (i, e) in m.exprs.iter().enumerate() { println!("{i} L{} {:?}", e.span.line, e.kind); }
    for (i, f) in m.functions.iter().enumerate() { println!("fn {i} {:?} {:#?}", f.name, f.body); }
    println!("{:#?}", m.body);
}
