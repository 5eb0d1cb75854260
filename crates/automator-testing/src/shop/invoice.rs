//! The invoice: a PDF of one page, written by hand because it needs one font and some lines of text.

use super::checkout::Order;
use crate::route::Route;

pub(super) fn download(order: &Order) -> Route {
    let route = Route::download(&format!("invoice-{}.pdf", order.number), pdf(&lines(order)));
    Route {
        headers: route
            .headers
            .into_iter()
            .filter(|(name, _)| name != "content-type")
            .collect(),
        ..route
    }
    .header("content-type", "application/pdf")
}

fn lines(order: &Order) -> Vec<String> {
    let euro = |cents: u64| super::euro(cents).replace('€', "EUR");
    let mut lines = vec![
        format!("Lamp shop - Invoice {}", order.number),
        String::new(),
        order.name.clone(),
        order.street.clone(),
        format!("{} {}, {}", order.postcode, order.city, order.country),
        String::new(),
    ];
    lines.extend(
        order
            .lines
            .iter()
            .map(|(name, amount, cents)| format!("{amount} x {name}: {}", euro(*cents))),
    );
    lines.push(format!("Total with delivery: {}", euro(order.total_cents)));
    lines
}

/// A PDF page with these lines.
fn pdf(lines: &[String]) -> Vec<u8> {
    let mut text = "BT /F1 12 Tf 16 TL 60 780 Td\n".to_owned();
    for line in lines {
        text.push_str(&format!("({}) '\n", escape(line)));
    }
    text.push_str("ET");
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>"
            .to_owned(),
        format!("<< /Length {} >>\nstream\n{text}\nendstream", text.len()),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>".to_owned(),
    ];
    let mut file = "%PDF-1.4\n".to_owned();
    let mut offsets = Vec::new();
    for (index, object) in objects.iter().enumerate() {
        offsets.push(file.len());
        file.push_str(&format!("{} 0 obj\n{object}\nendobj\n", index + 1));
    }
    let table = file.len();
    file.push_str(&format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1));
    for offset in offsets {
        file.push_str(&format!("{offset:010} 00000 n \n"));
    }
    file.push_str(&format!(
        "trailer\n<< /Size {} /Root 1 0 R >>\nstartxref\n{table}\n%%EOF\n",
        objects.len() + 1
    ));
    file.into_bytes()
}

/// Text inside a PDF string: Latin letters by their code, others as `?`.
fn escape(text: &str) -> String {
    text.chars()
        .map(|character| match character {
            '(' | ')' | '\\' => format!("\\{character}"),
            ' '..='~' => character.to_string(),
            '\u{a0}'..='\u{ff}' => format!("\\{:03o}", u32::from(character)),
            _ => "?".to_owned(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cross_reference_table_points_at_the_objects() {
        let file = String::from_utf8(pdf(&["one (1)".to_owned(), "zwei ü".to_owned()])).unwrap();
        let start: usize = file
            .rsplit("startxref\n")
            .next()
            .unwrap()
            .lines()
            .next()
            .unwrap()
            .parse()
            .unwrap();
        let offsets: Vec<usize> = file[start..]
            .lines()
            .filter_map(|line| line.strip_suffix(" 00000 n "))
            .map(|offset| offset.parse().unwrap())
            .collect();
        assert_eq!(offsets.len(), 5);
        for (index, offset) in offsets.into_iter().enumerate() {
            assert!(file[offset..].starts_with(&format!("{} 0 obj\n", index + 1)));
        }
        assert!(file.contains("(one \\(1\\)) '") && file.contains("(zwei \\374) '"));
    }
}
