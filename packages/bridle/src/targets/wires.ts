// Every wire that a target serves: one table of routes and one of sockets, the same for all targets.
import { fabricRoutes } from '../surfaces/fabric/routes.ts'
import { fabricSockets } from '../surfaces/fabric/socket-routes.ts'
import { frontendRoutes } from '../surfaces/frontend/routes.ts'
import { socketPages } from '../surfaces/http/streams/socket-route.ts'
import { transportSockets } from '../surfaces/transport/routes.ts'

/** Those that an object of a session answers; who asks for a socket without an upgrade is answered before. */
export const sessionWires = [fabricRoutes, frontendRoutes]

export const socketRows = [...fabricSockets, ...transportSockets]

export const wires = [...sessionWires, socketPages(socketRows)]
