// A token in a URL ends up in logs and stays valid. A ticket expires soon and works only once.

import type { TicketGrant } from '@bridle/wire/http/wire'
import { optionalId } from '@bridle/wire/http/wire/request-values'
import * as v from 'valibot'
import { json } from '../answers/answer-schema.ts'
import { ticketAnswer } from '../answers/server-answers.ts'
import { rateLimited } from '../denials/denial.ts'
import { TICKET_MS } from '../limits.ts'
import { post, type Route } from '../router/route.ts'
import { type Access, SCOPES, type Scope } from './authenticate.ts'
import { digest, hex, randomToken } from './secrets.ts'

const TICKET_LIMITS = {
  /** Unused tickets per credential and tenant; beyond it, its oldest is dropped. Each takes about 400 bytes. */
  buyerMax: 4_000,
  /** Unused tickets in total; beyond it none are issued, so that no buyer can evict another's. */
  max: 40_000,
}

export interface TicketStore {
  /** A ticket grants no more than its buyer's credential. Null if too many tickets are unused. */
  issue(access: Access, request: TicketRequest): Promise<Ticket | null>
  /** Null if used, expired, unknown, or bought by a page of another origin. */
  redeem(ticket: string, origin: string | null): Promise<Access | null>
}

export interface Ticket {
  readonly ticket: string
  readonly expiresAt: number
}

export interface TicketRequest {
  readonly sessionId?: string | undefined
  readonly scopes?: readonly Scope[] | undefined
  /** Origin of the buying page; null for a program. */
  readonly origin: string | null
}

export const ticketAccess = (access: Access, request: TicketRequest): Access => ({
  ...access,
  scopes: access.scopes.filter((scope) => request.scopes?.includes(scope) ?? true),
  sessionId: access.sessionId ?? request.sessionId ?? null,
  isTicket: true,
})

/** A page cannot use another origin's ticket. Programs, and GETs of a page to its own server, send no origin. */
export const originMatches = (bought: string | null, redeemed: string | null): boolean =>
  bought === null || redeemed === null || bought === redeemed

interface UnusedTicket {
  readonly access: Access
  readonly origin: string | null
  readonly expiresAt: number
  readonly buyer: string
}

/** Stores only digests, so a memory dump reveals no ticket. */
export class MemoryTicketStore implements TicketStore {
  readonly #now: () => number
  readonly #limits: typeof TICKET_LIMITS
  /** Oldest first. */
  readonly #unused = new Map<string, UnusedTicket>()
  readonly #buyers = new Map<string, Set<string>>()

  constructor(now: () => number, limits = TICKET_LIMITS) {
    this.#now = now
    this.#limits = limits
  }

  async issue(access: Access, request: TicketRequest): Promise<Ticket | null> {
    const ticket = randomToken()
    const name = hex(await digest(ticket))
    this.#dropExpired()
    const buyer = JSON.stringify([access.tenant, access.who])
    const names = this.#buyers.get(buyer) ?? new Set()
    const [oldest] = names
    if (oldest !== undefined && names.size >= this.#limits.buyerMax) this.#take(oldest)
    if (this.#unused.size >= this.#limits.max) return null
    const expiresAt = this.#now() + TICKET_MS
    this.#unused.set(name, { access: ticketAccess(access, request), origin: request.origin, expiresAt, buyer })
    this.#buyers.set(buyer, names.add(name))
    return { ticket, expiresAt }
  }

  async redeem(ticket: string, origin: string | null): Promise<Access | null> {
    const found = this.#take(hex(await digest(ticket)))
    if (!found || found.expiresAt <= this.#now()) return null
    return originMatches(found.origin, origin) ? found.access : null
  }

  #take(name: string): UnusedTicket | undefined {
    const found = this.#unused.get(name)
    if (!found) return undefined
    this.#unused.delete(name)
    const names = this.#buyers.get(found.buyer)
    names?.delete(name)
    if (names?.size === 0) this.#buyers.delete(found.buyer)
    return found
  }

  #dropExpired(): void {
    const now = this.#now()
    for (const [name, { expiresAt }] of this.#unused) {
      if (expiresAt > now) return
      this.#take(name)
    }
  }
}

export const ticketRoutes: readonly Route[] = [
  post('/tickets', {
    scope: 'observe',
    refusesTickets: true,
    summary: 'A one-use ticket for a socket or an event stream of a page, good for 30 seconds',
    call: 'ticket',
    body: v.looseObject({
      sessionId: optionalId,
      scopes: v.optional(v.array(v.picklist(SCOPES))),
    }),
    answers: { 201: ticketAnswer },
    handle: async ({ access, body: { sessionId, scopes }, ports, request }) => {
      const origin = request.headers.get('origin')
      const issued = await ports.tickets.issue(access, { sessionId, scopes, origin })
      if (!issued)
        return rateLimited(
          'Too many tickets are unused. Use those you have, or ask again in 30 seconds.',
          TICKET_MS / 1_000,
        )
      const { ticket, expiresAt } = issued
      return json<TicketGrant>({ ticket, expiresAt: new Date(expiresAt).toISOString() }, { status: 201 })
    },
  }),
]
