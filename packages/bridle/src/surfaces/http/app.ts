// The one router. Every wire adds its routes to it; each target serves it unchanged.
import { Hono } from 'hono'
import { isId } from '../../kernel/event.ts'
import type { Host } from '../../kernel/host.ts'
import type { Directory } from '../../kernel/ports.ts'
import { badRequest, faulted, notFound } from './errors.ts'
import { type GuardOptions, guard } from './guard.ts'
import { sessions } from './sessions.ts'

export interface AppPorts extends GuardOptions {
  readonly host: Host
  readonly directory: Directory
  /** Names of the agents that can be invoked. */
  readonly agents: ReadonlySet<string>
  readonly heartbeatMs?: number
}

export type App = Hono<{ Variables: { tenant: string } }>

export const createApp = (ports: AppPorts, ...wires: ((app: App, ports: AppPorts) => void)[]): App => {
  const app: App = new Hono()
  app.onError((error, c) => faulted(c, error))
  app.notFound(notFound)
  app.use(guard(ports))
  app.use(async (c, next) => {
    const tenant = c.req.header('x-fabric-tenant') ?? c.req.query('tenant') ?? 'default'
    if (!isId(tenant)) return badRequest(c, 'The tenant is not a valid id.')
    c.set('tenant', tenant)
    return next()
  })
  app.get('/health', (c) => c.json({ ok: true }))
  for (const add of [sessions, ...wires]) add(app, ports)
  return app
}
