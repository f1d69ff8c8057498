// One-use, short-lived tickets, for what cannot send headers: a browser's WebSocket and EventSource. A long-lived token
// in a URL ends up in logs; a ticket that does is worth nothing by then.
import * as v from 'valibot'
import { type Access, SCOPES, type Scope } from './access.ts'
import { optionalId, type Route, route } from './route.ts'
import { randomToken } from './secrets.ts'

export const TICKET_MS = 30_000
/** Unused tickets at any time; beyond it the oldest goes. */
const TICKETS_MAX = 10_000

export interface Tickets {
  /** A ticket can do no more than the one who asks for it. */
  issue(access: Access, wish: TicketWish): Promise<Ticket> | Ticket
  /** Null = it is used up, expired or unknown. */
  redeem(ticket: string): Promise<Access | null> | Access | null
}

export interface Ticket {
  readonly ticket: string
  readonly expiresAt: number
}

export interface TicketWish {
  readonly sessionId?: string | undefined
  readonly scopes?: readonly Scope[] | undefined
}

/** What a ticket lets in. */
export const ticketAccess = (access: Access, wish: TicketWish): Access => ({
  ...access,
  scopes: access.scopes.filter((scope) => wish.scopes?.includes(scope) ?? true),
  sessionId: access.sessionId ?? wish.sessionId ?? null,
})

/** Kept in memory: for one process. */
export class OwnTickets implements Tickets {
  readonly #now: () => number
  readonly #issued = new Map<string, { readonly access: Access; readonly expiresAt: number }>()

  constructor(now: () => number) {
    this.#now = now
  }

  issue(access: Access, wish: TicketWish): Ticket {
    const now = this.#now()
    for (const [ticket, { expiresAt }] of this.#issued) {
      if (expiresAt > now && this.#issued.size < TICKETS_MAX) break
      this.#issued.delete(ticket)
    }
    const ticket = randomToken()
    const expiresAt = now + TICKET_MS
    this.#issued.set(ticket, { access: ticketAccess(access, wish), expiresAt })
    return { ticket, expiresAt }
  }

  redeem(ticket: string): Access | null {
    const issued = this.#issued.get(ticket)
    this.#issued.delete(ticket)
    return issued && issued.expiresAt > this.#now() ? issued.access : null
  }
}

export const ticketRoutes: readonly Route[] = [
  route({
    method: 'post',
    path: '/tickets',
    scope: 'observe',
    summary: 'A one-use ticket for a socket or an event stream, good for 30 seconds',
    body: v.looseObject({
      sessionId: optionalId,
      scopes: v.optional(v.array(v.picklist(SCOPES))),
    }),
    answers: { 201: '`{ ticket, expiresAt }`; use it as `?ticket=` or as the subprotocol `ticket.<it>`.' },
    handle: async ({ access, body, ports }) => {
      const { ticket, expiresAt } = await ports.tickets.issue(access, body)
      return Response.json({ ticket, expiresAt: new Date(expiresAt).toISOString() }, { status: 201 })
    },
  }),
]
