//! Dates as days, for the metadata and the time line.

/// A date of the Gregorian calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Date {
    pub(crate) year: u16,
    pub(crate) month: u8,
    pub(crate) day: u8,
}

impl Date {
    /// Reads `2026-08-02`; a time after the date is left out.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let date = text.trim().get(..10)?;
        let mut parts = date.splitn(3, '-');
        let year = parts.next()?.parse().ok().filter(|year| (1..=9999).contains(year))?;
        let month = parts.next()?.parse().ok().filter(|month| (1..=12).contains(month))?;
        let day = parts.next()?.parse().ok().filter(|day| (1..=31).contains(day))?;
        Some(Self { year, month, day })
    }

    /// Days since 1 January of the year 0.
    pub(crate) fn number(self) -> i32 {
        // March is the first month, so that the leap day is the last of a year.
        let year = i32::from(self.year) - i32::from(self.month < 3);
        let month = (i32::from(self.month) + 9) % 12;
        year * 365 + year.div_euclid(4) - year.div_euclid(100)
            + year.div_euclid(400)
            + (month * 306 + 5) / 10
            + i32::from(self.day)
            + 59
    }
}

#[cfg(test)]
mod tests {
    use super::Date;

    #[test]
    fn given_dates_then_days_between_are_counted() {
        let days = |text: &str| Date::parse(text).unwrap().number();
        assert_eq!(days("2024-03-01") - days("2024-02-28"), 2);
        assert_eq!(days("2027-01-01") - days("2026-01-01"), 365);
        assert_eq!(days("2026-08-02") - days("2024-08-01"), 731);
    }

    #[test]
    fn given_text_that_is_no_date_then_none() {
        for text in [
            "",
            "2026",
            "2026-13-01",
            "2026-00-10",
            "20é6-01-01",
            "2026/01/01",
            "abcd-ef-gh",
        ] {
            assert_eq!(Date::parse(text), None, "{text}");
        }
    }
}
