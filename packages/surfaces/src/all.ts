// Every wire is listed here once. Both targets, session objects and the tests read these two lists.
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

/** The last table answers a plain GET of each socket's path with 426. */
export const httpWires = [
  fabricRoutes,
  frontendRoutes,
  openharnessRoutes,
  changesRoutes,
  upgradeRequiredRoutes(socketWires),
]
