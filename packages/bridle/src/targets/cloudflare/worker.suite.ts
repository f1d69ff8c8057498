// The Worker under test: the real one, and a way to send an object to sleep.
import { env } from 'cloudflare:workers'
import unsafe from 'workerd:unsafe'
import { type HarnessEnv, harness } from '../cloudflare.ts'
import type { Namespace, RequestContext } from './platform.ts'

const { TEST_OPTIONS = '{}' } = env as { TEST_OPTIONS?: string }
const made = harness({ tokenPaceMs: 0, ...JSON.parse(TEST_OPTIONS) })
export const { HarnessDirectory } = made

export class HarnessSession extends made.HarnessSession {
  readonly #life = crypto.randomUUID()

  reset(): void {
    this.ctx.abort('reset by a test')
  }

  incarnation(): string {
    return this.#life
  }
}

export default class extends made.HarnessGateway {
  readonly #objects: Namespace<HarnessSession>

  constructor(ctx: RequestContext, env: HarnessEnv) {
    super(ctx, env)
    this.#objects = env.HARNESS_SESSION as Namespace<HarnessSession>
  }

  override async fetch(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url)
    if (!pathname.startsWith('/test/')) return super.fetch(request)
    const object = this.#objects.get(this.#objects.idFromName(searchParams.get('name') ?? ''))
    const acts: { readonly [path: string]: () => Promise<unknown> } = {
      '/test/evict': () => unsafe.evict(object, { webSockets: 'hibernate' }),
      // It cannot answer.
      '/test/reset': async () => Promise.resolve(object.reset()).catch(() => {}),
      '/test/incarnation': async () => object.incarnation(),
    }
    try {
      return new Response(String(await acts[pathname]?.()))
    } catch (error) {
      return new Response(String(error), { status: 500 })
    }
  }
}
