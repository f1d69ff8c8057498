// The tickets of the people behind the bot. Put your own system here. A key that comes twice is the same ticket.
const tickets = new Map<string, { readonly number: number; readonly summary: string }>()

export const openTicket = (summary: string, key: string): { number: number; summary: string } => {
  const ticket = tickets.get(key) ?? { number: tickets.size + 1, summary }
  tickets.set(key, ticket)
  return ticket
}
