import type { Route } from '../router/route.ts'

interface Tag {
  readonly name: string
  readonly description: string
  readonly fits: (row: Pick<Route, 'path' | 'answers'>) => boolean
}

const startsWith =
  (...starts: readonly string[]): Tag['fits'] =>
  ({ path }) =>
    starts.some((start) => path === start || path.startsWith(`${start}/`))

const tags: readonly Tag[] = [
  {
    name: 'Sockets',
    description: 'WebSockets: both sides send JSON messages. OpenAPI describes only how they are opened.',
    fits: ({ answers }) => answers[101] !== undefined,
  },
  { name: 'Agents', description: 'Runs an agent in a session, and reads its history.', fits: startsWith('/agents') },
  { name: 'Chat', description: 'Chat sessions: turns, streams, branches.', fits: startsWith('/chat') },
  {
    name: 'Approvals',
    description: 'Questions that wait for a person.',
    fits: ({ path }) => path.includes('/approvals'),
  },
  {
    name: 'Sessions',
    description: 'Sessions of every agent and every wire, by id.',
    fits: startsWith('/sessions', '/changes'),
  },
  { name: 'Access', description: 'Tickets for callers that cannot send headers.', fits: startsWith('/tickets') },
  {
    name: 'Server',
    description: 'The server itself: probes, metrics, engines, builds, descriptions.',
    fits: () => true,
  },
]

export const tagOf = (row: Route): string => tags.find(({ fits }) => fits(row))?.name ?? 'Server'

export const tagDescriptions = tags.map(({ name, description }) => ({ name, description }))
