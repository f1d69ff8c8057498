// The conformance suite on both targets.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type CaseServerName, serverSettingsByName } from '@bridle/conformance/case'
import { playCase } from '@bridle/conformance/case-player'
import { protocolPages } from '@bridle/conformance/pages'
import { startTestWorker } from '@bridle/server/cloudflare/tests/test-worker.suite'
import { noTools } from '@bridle/server/cloudflare/tests/workerd.suite'
import { HarnessServer } from '@bridle/server/node/index'
import { afterAll, describe, test } from 'vitest'
import { differences } from './differences.ts'

interface ConformanceTarget {
  readonly url: string
  readonly end: () => Promise<void>
}

const targets: { readonly [name: string]: (server: CaseServerName) => Promise<ConformanceTarget> } = {
  node: async (server) => {
    const data = mkdtempSync(join(tmpdir(), 'bridle-conformance-'))
    const { url, close } = await HarnessServer.start({
      ...(serverSettingsByName[server] as object),
      port: 0,
      data,
      tokenPaceMs: 0,
      env: {},
      log: () => {},
    }).then((started) => ({ url: started.url, close: () => started.close() }))
    return {
      url,
      end: async () => {
        await close()
        rmSync(data, { recursive: true, force: true })
      },
    }
  },
  cloudflare: async (server) => {
    // A directory of several objects answers as one does.
    const vars = { TEST_OPTIONS: JSON.stringify(serverSettingsByName[server]), BRIDLE_DIRECTORY_SHARDS: '3' }
    const world = await startTestWorker({ vars })
    return { url: world.url, end: () => world.dispose() }
  },
}

for (const [target, start] of Object.entries(targets)) {
  describe.skipIf(target === 'cloudflare' && noTools)(target, () => {
    const running = new Map<CaseServerName, Promise<ConformanceTarget>>()
    const served = (name: CaseServerName): Promise<ConformanceTarget> => {
      const server = running.get(name) ?? start(name)
      running.set(name, server)
      return server
    }
    afterAll(async () => {
      for (const server of running.values()) await (await server).end()
    })

    describe.each(protocolPages)('$title', ({ cases }) => {
      for (const each of cases) {
        const reason = differences[target]?.[each.name]
        test.skipIf(reason)(reason ? `${each.name} (not here: ${reason})` : each.name, async () =>
          playCase((await served(each.server ?? 'open')).url, each),
        )
      }
    })
  })
}
