// Tickets for a gateway that remembers nothing: what a ticket lets in is written in it and signed; that it was used is
// written down by the tenant's directory.
import type { Access } from '../../surfaces/http/access.ts'
import { randomToken } from '../../surfaces/http/secrets.ts'
import { TICKET_MS, type Tickets, ticketAccess } from '../../surfaces/http/tickets.ts'
import { fromBase64, hmac, isSigned, toBase64 } from './secrets.ts'

interface Body {
  readonly access: Access
  readonly expiresAt: number
  readonly nonce: string
}

export interface SignedTicketsOptions {
  readonly secret: string
  readonly now: () => number
  /** Whether this is the first time. */
  readonly redeem: (tenant: string, nonce: string, expiresAt: number) => Promise<boolean>
}

/** A signature has one length, so no mark is needed between it and what it signs. */
const SIGNATURE_CHARS = 43

export const signedTickets = ({ secret, now, redeem }: SignedTicketsOptions): Tickets => ({
  issue: async (access, wish) => {
    const expiresAt = now() + TICKET_MS
    const body: Body = { access: ticketAccess(access, wish), expiresAt, nonce: randomToken() }
    const text = toBase64(new TextEncoder().encode(JSON.stringify(body)))
    return { ticket: `${await hmac(secret, `ticket:${text}`)}${text}`, expiresAt }
  },
  redeem: async (ticket) => {
    const signature = ticket.slice(0, SIGNATURE_CHARS)
    const text = ticket.slice(SIGNATURE_CHARS)
    if (!(await isSigned(secret, `ticket:${text}`, signature))) return null
    const { access, expiresAt, nonce } = JSON.parse(new TextDecoder().decode(fromBase64(text))) as Body
    if (expiresAt <= now()) return null
    return (await redeem(access.tenant, nonce, expiresAt)) ? access : null
  },
})
