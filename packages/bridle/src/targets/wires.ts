// Every wire that a target serves: one table of routes and one of sockets, the same for all targets.
import { fabricRoutes } from '../surfaces/fabric/routes.ts'
import { fabricSocketRoutes } from '../surfaces/fabric/socket-routes.ts'
import { frontendRoutes } from '../surfaces/frontend/routes.ts'
import { upgradeRequiredRoutes } from '../surfaces/http/streams/socket-route.ts'
import { transportSocketRoutes } from '../surfaces/transport/routes.ts'

/** Those that an object of a session answers; who asks for a socket without an upgrade is answered before. */
export const sessionWires = [fabricRoutes, frontendRoutes]

export const socketRoutes = [...fabricSocketRoutes, ...transportSocketRoutes]

export const wires = [...sessionWires, upgradeRequiredRoutes(socketRoutes)]
