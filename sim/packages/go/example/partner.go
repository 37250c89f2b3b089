// SPDX-License-Identifier: MIT OR Apache-2.0

// Package example is an integration as the document asks for one: a client that retries what it may, and a receiver
// of webhooks.
package example

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"
)

// Partner is the client.
type Partner struct {
	// URL is the base address of the service, and Key the API key.
	URL, Key string
	// Backoff is the pause before the first repetition; each further one is twice as long.
	Backoff time.Duration
}

// Declined is a refusal. Decide by the code: the prose may change (§7).
type Declined struct {
	Status      int
	Code, Prose string
}

func (d *Declined) Error() string { return fmt.Sprintf("%d %s: %s", d.Status, d.Code, d.Prose) }

// Party is a business in the sync of an invoice.
type Party struct {
	ExternalID string `json:"externalId"`
	LegalName  string `json:"legalName"`
}

// InvoiceSync are the fields of an invoice. FaceValue is in cents.
type InvoiceSync struct {
	Payee     Party     `json:"payee"`
	Payor     Party     `json:"payor"`
	Status    string    `json:"status"`
	FaceValue int64     `json:"faceValue"`
	IssueDate time.Time `json:"issueDate"`
	DueDate   time.Time `json:"dueDate"`
}

// Offer are the amounts of a quote, in cents.
type Offer struct {
	AdvanceAmount     int64
	FeeTotal          int64
	Fundable          bool
	NotFundableReason string
}

// Remittance is the account that payors pay into.
type Remittance struct{ AccountNumber, RoutingNumber string }

// Advance is what the vendor gets, in cents, and where the payor has to pay from now on.
type Advance struct {
	AlreadyRequested bool
	AdvanceAmount    int64
	Remittance       Remittance
}

// Business is a vendor, as far as the platform reads it.
type Business struct{ Remittance *Remittance }

// Invoice is an invoice, as far as the platform reads it.
type Invoice struct{ Advance *struct{ State string } }

type object = map[string]any

// SyncVendor creates or updates a business.
func (p *Partner) SyncVendor(ctx context.Context, vendor, legalName, taxID string) error {
	return p.repeatable(ctx, "PUT", organization(vendor), object{"legalName": legalName, "taxId": taxID}, nil)
}

// SetPayoutAccount sets the account that receives the vendor's advances.
func (p *Partner) SetPayoutAccount(ctx context.Context, vendor, account, routing string) error {
	body := object{"accountNumber": account, "routingNumber": routing}
	return p.repeatable(ctx, "PUT", organization(vendor)+"/payout-account", body, nil)
}

// SyncInvoice creates or updates an invoice.
func (p *Partner) SyncInvoice(ctx context.Context, invoice string, fields InvoiceSync) error {
	return p.repeatable(ctx, "PUT", "/v1/invoices/"+url.PathEscape(invoice), fields, nil)
}

// Invite invites a person at the vendor.
func (p *Partner) Invite(ctx context.Context, vendor, email string) error {
	return p.repeatable(ctx, "POST", "/v1/invitations", object{"externalId": vendor, "email": email}, nil)
}

// Quote prices an advance for a face value in cents.
func (p *Partner) Quote(ctx context.Context, vendor string, faceValue int64) (offer Offer, err error) {
	body := object{"externalId": vendor, "invoiceFaceValue": faceValue}
	err = p.repeatable(ctx, "POST", "/v1/quotes", body, &offer)
	return offer, err
}

// RequestAdvance requests the advance of an invoice, or returns the one that there is.
func (p *Partner) RequestAdvance(ctx context.Context, vendor, invoice string) (advance Advance, err error) {
	body := object{"payeeExternalId": vendor, "invoiceExternalId": invoice}
	err = p.repeatable(ctx, "POST", "/v1/advances", body, &advance)
	return advance, err
}

// ReadVendor reads a business.
func (p *Partner) ReadVendor(ctx context.Context, vendor string) (business Business, err error) {
	err = p.repeatable(ctx, "GET", organization(vendor), nil, &business)
	return business, err
}

// ReadInvoice reads an invoice with the advance against it.
func (p *Partner) ReadInvoice(ctx context.Context, vendor, invoice string) (read Invoice, err error) {
	err = p.repeatable(ctx, "GET", organization(vendor)+"/invoices/"+url.PathEscape(invoice), nil, &read)
	return read, err
}

// Subscribe returns the secret. If the answer is lost, the subscription is deleted and made again (§4 Recovering).
func (p *Partner) Subscribe(ctx context.Context, hooks string) (string, error) {
	secret, err := p.subscribe(ctx, hooks)
	var declined *Declined
	if err == nil || errors.As(err, &declined) && declined.Code != "already_subscribed" && declined.Status != 502 {
		return secret, err
	}
	var live []struct{ URL, Reference string }
	if err := p.repeatable(ctx, "GET", "/v1/webhooks", nil, &live); err != nil {
		return "", err
	}
	for _, each := range live {
		if each.URL == hooks {
			if err := p.unsubscribe(ctx, each.Reference); err != nil {
				return "", err
			}
		}
	}
	return p.subscribe(ctx, hooks)
}

func (p *Partner) subscribe(ctx context.Context, hooks string) (string, error) {
	var made struct{ Secret string }
	err := p.send(ctx, "POST", "/v1/webhooks", object{"url": hooks}, &made)
	return made.Secret, err
}

func (p *Partner) unsubscribe(ctx context.Context, reference string) error {
	err := p.repeatable(ctx, "DELETE", "/v1/webhooks/"+reference, nil, nil)
	var declined *Declined
	if errors.As(err, &declined) && declined.Code == "subscription_not_found" {
		// A repetition may find that the first request has deleted it.
		return nil
	}
	return err
}

// repeatable sends what is safe to repeat: again after 502, and if there is no answer (§7 Retrying).
func (p *Partner) repeatable(ctx context.Context, method, path string, body, answer any) error {
	for attempt := 0; ; attempt++ {
		err := p.send(ctx, method, path, body, answer)
		var declined *Declined
		if err == nil || attempt == 3 || errors.As(err, &declined) && declined.Status != 502 {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(p.Backoff << attempt):
		}
	}
}

func (p *Partner) send(ctx context.Context, method, path string, body, answer any) error {
	request, err := p.request(ctx, method, path, body)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode >= 300 {
		return declined(response)
	}
	if answer == nil {
		return nil
	}
	return json.NewDecoder(response.Body).Decode(answer)
}

func (p *Partner) request(ctx context.Context, method, path string, body any) (*http.Request, error) {
	var content []byte
	if body != nil {
		var err error
		if content, err = json.Marshal(body); err != nil {
			return nil, err
		}
	}
	request, err := http.NewRequestWithContext(ctx, method, p.URL+path, bytes.NewReader(content))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+p.Key)
	request.Header.Set("Content-Type", "application/json")
	return request, nil
}

func declined(response *http.Response) error {
	var failure struct{ Error, Code string }
	if err := json.NewDecoder(response.Body).Decode(&failure); err != nil {
		return err
	}
	return &Declined{response.StatusCode, failure.Code, failure.Error}
}

func organization(vendor string) string { return "/v1/organizations/" + url.PathEscape(vendor) }
