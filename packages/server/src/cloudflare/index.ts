// Bridle on Cloudflare: a gateway, an object for each session, and an object for each tenant's index. Wiring and nothing
// else. A Worker with its own agents calls `harness`; a Worker without exports these three classes as they are.
import { HarnessDirectory } from './directory/directory-object.ts'
import { HarnessGateway } from './gateway.ts'
import { checkOptions, type HarnessEnv, type HarnessOptions } from './platform/options.ts'
import type { ObjectContext, RequestContext } from './platform/platform.ts'
import { HarnessSession } from './session.ts'

export type { ModelProvider, ModelProviders } from '../models/model-source.ts'
export type { HarnessEnv, HarnessOptions } from './platform/options.ts'
export { HarnessDirectory, HarnessGateway, HarnessSession }

/** The three classes of a Worker, as `harness` makes them. */
export interface Harness {
  /** The Worker's default export. */
  readonly HarnessGateway: new (
    ctx: RequestContext,
    env: HarnessEnv,
  ) => HarnessGateway
  /** The class to bind as `HARNESS_SESSION`. */
  readonly HarnessSession: new (
    ctx: ObjectContext,
    env: HarnessEnv,
  ) => HarnessSession
  /** The class to bind as `HARNESS_DIRECTORY`. */
  readonly HarnessDirectory: new (
    ctx: ObjectContext,
    env: HarnessEnv,
  ) => HarnessDirectory
}

/** The classes of a Worker with options: the gateway is its default export, the others are bound by their names. */
export const harness = (options: HarnessOptions): Harness => {
  checkOptions(options)
  return {
    HarnessGateway: class extends HarnessGateway {
      constructor(ctx: RequestContext, env: HarnessEnv) {
        super(ctx, env, options)
      }
    },
    HarnessSession: class extends HarnessSession {
      constructor(ctx: ObjectContext, env: HarnessEnv) {
        super(ctx, env, options)
      }
    },
    HarnessDirectory: class extends HarnessDirectory {
      constructor(ctx: ObjectContext, env: HarnessEnv) {
        super(ctx, env, options)
      }
    },
  }
}
