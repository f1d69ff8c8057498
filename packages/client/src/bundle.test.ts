// The size of the client in a page.
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'vite'
import { expect, test } from 'vitest'

const GZIP_BYTES_MAX = 7_200

test('HarnessClient alone is small, and brings no library', { timeout: 60_000 }, async () => {
  const built = await build({
    configFile: false,
    logLevel: 'silent',
    build: {
      write: false,
      minify: true,
      modulePreload: false,
      rolldownOptions: {
        input: fileURLToPath(new URL('harness/client.ts', import.meta.url)),
        preserveEntrySignatures: 'strict',
      },
    },
  })
  const [chunk] = (built as { output: { type: string; code: string; moduleIds: string[] }[] }).output
  expect(chunk?.code).toContain('getSnapshot')
  const modules = chunk?.moduleIds.filter((id) => !id.startsWith('\0')) ?? []
  expect(modules.filter((id) => id.includes('node_modules'))).toEqual([])
  expect(modules.filter((id) => /surfaces|projections|schemas/.test(id))).toEqual([])
  const bytes = gzipSync(chunk?.code ?? '').byteLength
  expect(bytes).toBeLessThan(GZIP_BYTES_MAX)
})
