// A Worker with its own agents calls `harness`; one without exports these three classes directly.
import { HarnessDirectory } from './directory/directory-object.ts'
import { HarnessGateway } from './gateway.ts'
import { checkOptions, type HarnessEnv, type HarnessOptions } from './platform/options.ts'
import type { ObjectContext, RequestContext } from './platform/platform.ts'
import { HarnessSession } from './session.ts'

export type { ModelProvider, ModelProviders } from '../models/model-source.ts'
export type { HarnessEnv, HarnessOptions } from './platform/options.ts'
export { HarnessDirectory, HarnessGateway, HarnessSession }

/** The three classes of a Worker, as returned by `harness`. */
export interface Harness {
  /** The Worker's default export. */
  readonly HarnessGateway: new (
    ctx: RequestContext,
    env: HarnessEnv,
  ) => HarnessGateway
  /** Bind as `HARNESS_SESSION`. */
  readonly HarnessSession: new (
    ctx: ObjectContext,
    env: HarnessEnv,
  ) => HarnessSession
  /** Bind as `HARNESS_DIRECTORY`. */
  readonly HarnessDirectory: new (
    ctx: ObjectContext,
    env: HarnessEnv,
  ) => HarnessDirectory
}

/** Returns the classes of a Worker with these options. The gateway is the default export; the others are bound by name. */
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
