// Only the parts of the platform's modules that this target uses. Deployed apps use the platform's own types.
declare module 'cloudflare:workers' {
  export const env: object
  export abstract class DurableObject<Env = unknown> {
    protected readonly ctx: import('./platform/platform.ts').ObjectContext
    protected readonly env: Env
    constructor(ctx: import('./platform/platform.ts').ObjectContext, env: Env)
  }
  export abstract class WorkerEntrypoint<Env = unknown> {
    protected readonly ctx: import('./platform/platform.ts').RequestContext
    protected readonly env: Env
    constructor(ctx: import('./platform/platform.ts').RequestContext, env: Env)
  }
}

declare module 'workerd:unsafe' {
  const unsafe: { evict(stub: unknown, options?: { webSockets?: 'hibernate' | 'close' }): Promise<void> }
  export default unsafe
}
