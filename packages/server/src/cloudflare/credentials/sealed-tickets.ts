// Each ticket seals the access it grants, because the gateway is stateless. The tenant's directory records used tickets.
import type { Access } from '@bridle/surfaces/http/access/authenticate'
import { seal, unseal } from '@bridle/surfaces/http/access/sealing'
import { randomToken } from '@bridle/surfaces/http/access/secrets'
import { originMatches, type TicketStore, ticketAccess } from '@bridle/surfaces/http/access/tickets'
import { TICKET_MS } from '@bridle/surfaces/http/limits'
import { runClock } from '../alarms/object-clock.ts'
import type { SigningSecret } from './signing-secret.ts'

interface TicketBody {
  readonly access: Access
  readonly origin: string | null
  readonly expiresAt: number
  readonly nonce: string
}

export const sealedTickets = (
  secret: SigningSecret,
  redeem: (tenant: string, nonce: string, expiresAt: number) => Promise<boolean>,
): TicketStore => ({
  issue: async (access, ticketOptions) => {
    const expiresAt = runClock.now() + TICKET_MS
    const { origin } = ticketOptions
    const body: TicketBody = { access: ticketAccess(access, ticketOptions), origin, expiresAt, nonce: randomToken() }
    return { ticket: await seal(await secret(), 'ticket', body), expiresAt }
  },
  redeem: async (ticket, from) => {
    const body = await unseal<TicketBody>(await secret(), 'ticket', ticket)
    if (!body || body.expiresAt <= runClock.now()) return null
    const { access, origin, expiresAt, nonce } = body
    const isFirst = await redeem(access.tenant, nonce, expiresAt)
    return isFirst && originMatches(origin, from) ? access : null
  },
})
