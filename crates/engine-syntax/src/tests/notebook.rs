//! What notebooks become.

use engine_model::Language;

use super::check_in;

#[test]
fn magics_are_not_python() {
    check_in(
        Language::Notebook,
        r#"{"cells":[{"cell_type":"code","source":["%pip install x\n","!ls \\\n","  more\n","x = 1\n","y = !ls\n","z = %who\n","if x:\n","    !cmd\n","x?\n","?x\n","s = \"\"\"\n","!text\n","\"\"\"\n","a = (b\n","  % c)"]},{"cell_type":"code","source":"%%bash\necho hi"},{"cell_type":"markdown","source":["not code"]},{"cell_type":"code","source":"%%time\nf()\n"},{"cell_type":"raw","source":"x"}]}
"#,
        r#"
x = 1
if x
s = "\n!text\n"
a = other(b, c)
!ls("more")
!ls()
!cmd()
!echo("hi")
f()
"#,
    );
}

#[test]
fn an_r_notebook_has_no_python() {
    check_in(
        Language::Notebook,
        r#"{"cells":[{"cell_type":"code","source":["x <- 1"]}],"metadata":{"kernelspec":{"language":"R","name":"ir"},"language_info":{"name":"R"}}}
"#,
        r"

",
    );
}

#[test]
fn the_third_format_keeps_its_cells_in_worksheets() {
    check_in(
        Language::Notebook,
        r#"{"worksheets":[{"cells":[{"cell_type":"code","language":"python","input":["import openai\n","print 1"]}]}],"nbformat":3}
"#,
        r"
import openai openai=#
print(1)
",
    );
}

#[test]
fn a_broken_cell_does_not_swallow_the_next() {
    check_in(
        Language::Notebook,
        r#"{"cells":[{"cell_type":"code","source":["f(\n","x = [1,"]},{"cell_type":"code","source":["import openai\n"]}]}
"#,
        r"
f
x
1
import openai openai=#
",
    );
}

#[test]
fn a_cut_file_gives_its_first_cells() {
    check_in(
        Language::Notebook,
        r#"{"cells":[{"cell_type":"code","source":["import openai\n"]},{"cell_type":"code","source":["x = 1
"#,
        r"
import openai openai=#
",
    );
}

#[test]
fn outputs_and_metadata_are_not_source() {
    check_in(
        Language::Notebook,
        r#"{"metadata":{"source":["bad()"]},"cells":[{"cell_type":"code","metadata":{"source":"bad()"},"outputs":[{"text":["bad()"],"data":{"source":["bad()"]}}],"source":["good()"]}]}
"#,
        r"
good()
",
    );
}

#[test]
fn what_is_not_a_notebook_is_empty() {
    check_in(
        Language::Notebook,
        r#"[[["cells", {"source": 1}]], "\"]
"#,
        r"

",
    );
}

#[test]
fn cells_beyond_the_length_of_one_file_are_left_out_and_said() {
    let notebook = |cells: usize| {
        let cells: Vec<String> = (0..cells)
            .map(|at| format!("{{\"cell_type\": \"code\", \"source\": [\"x{at} = f(x)\\n\", \"print(x{at})\"]}}"))
            .collect();
        let text = format!("{{\"cells\": [{}]}}", cells.join(",\n"));
        crate::lower(Language::Notebook, &text).unwrap()
    };
    let ordinary = notebook(400);
    assert!(!ordinary.truncated);
    assert_eq!(ordinary.body.len(), 800);
    let endless = notebook(10_000);
    assert!(endless.truncated);
    assert!((4_000..8_000).contains(&endless.body.len()), "{}", endless.body.len());
}
