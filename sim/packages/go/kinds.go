// SPDX-License-Identifier: MIT OR Apache-2.0

package tideover

import (
	"fmt"
	"strings"
)

// kinds are the types of events that the document has (§6).
var kinds = []string{
	"partner.organization.added",
	"partner.organization.optedIn",
	"partner.organization.remittanceUpdated",
	"partner.invoice.created",
	"partner.invoice.paid",
	"partner.invoice.factoredUpdated",
	"partner.loan.created",
	"partner.loan.issued",
	"partner.loan.paid",
}

// unlisted are the types that the document does not have, and the mock may send: by a fault, or greased (§9 rule 4).
var unlisted = []string{
	"partner.account.reviewed",
	"partner.document.available",
	"partner.notice.sent",
	"partner.record.archived",
}

// unknown is why no event of this type comes; nil if one may. An empty type is any.
func unknown(kind string) error {
	nearest, least := "", len(kind)
	for _, each := range append(append([]string{}, kinds...), unlisted...) {
		if kind == each || kind == "" {
			return nil
		}
		if steps := distance(kind, each); steps < least {
			nearest, least = each, steps
		}
	}
	if 2*least > len(nearest) {
		known := strings.Join(kinds, ", ")
		return fmt.Errorf("there is no event %s. The document has these: %s", kind, known)
	}
	return fmt.Errorf("there is no event %s. Did you mean %s?", kind, nearest)
}

// distance is how many letters to insert, remove or replace make one text of the other.
func distance(one, other string) int {
	row := make([]int, len(other)+1)
	for column := range row {
		row[column] = column
	}
	for line := range []byte(one) {
		diagonal := row[0]
		row[0] = line + 1
		for column := range []byte(other) {
			steps := diagonal
			if one[line] != other[column] {
				steps++
			}
			diagonal = row[column+1]
			row[column+1] = least(steps, row[column]+1, diagonal+1)
		}
	}
	return row[len(other)]
}

func least(first int, others ...int) int {
	for _, each := range others {
		if each < first {
			first = each
		}
	}
	return first
}
