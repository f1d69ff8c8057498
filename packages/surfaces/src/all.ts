// Every wire, listed once. A new wire is a folder beside these, and its tables are listed here: Node, the Cloudflare gateway, the
// object of a session and the tests all read these two lists.
import { changesRoutes, changesSocketRoutes } from './changes/routes.ts'
import { fabricRoutes, fabricSocketRoutes } from './fabric/routes.ts'
import { frontendRoutes } from './frontend/routes.ts'
import { upgradeRequiredRoutes } from './http/streams/socket-route.ts'
import { openharnessRoutes } from './openharness/routes.ts'
import { transportSocketRoutes } from './transport/routes.ts'
import { voiceSocketRoutes } from './voice/routes.ts'

export const socketWires = [
  ...fabricSocketRoutes,
  ...transportSocketRoutes,
  ...changesSocketRoutes,
  ...voiceSocketRoutes,
]

/** The last table has a row for each socket: a plain GET of its path gets 426, upgrade required. */
export const httpWires = [
  fabricRoutes,
  frontendRoutes,
  openharnessRoutes,
  changesRoutes,
  upgradeRequiredRoutes(socketWires),
]
