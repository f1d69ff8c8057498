// As much of the platform's module as this target uses. An app that is deployed has the platform's own types.
declare module 'cloudflare:workers' {
  export abstract class DurableObject<Env = unknown> {
    protected readonly ctx: import('./platform.ts').ObjectContext
    protected readonly env: Env
    constructor(ctx: import('./platform.ts').ObjectContext, env: Env)
  }
  export abstract class WorkerEntrypoint<Env = unknown> {
    protected readonly ctx: import('./platform.ts').RequestContext
    protected readonly env: Env
    constructor(ctx: import('./platform.ts').RequestContext, env: Env)
  }
}
