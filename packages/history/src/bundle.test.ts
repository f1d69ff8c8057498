// The size of the history in a page.
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'vite'
import { expect, test } from 'vitest'

const GZIP_BYTES_MAX = 36_000

test('[X36] the history is small, and brings no library and nothing of a server', { timeout: 60_000 }, async () => {
  const built = await build({
    configFile: false,
    logLevel: 'silent',
    build: {
      write: false,
      minify: true,
      modulePreload: false,
      rolldownOptions: {
        input: fileURLToPath(new URL('index.ts', import.meta.url)),
        preserveEntrySignatures: 'strict',
      },
    },
  })
  const [chunk] = (built as { output: { type: string; code: string; moduleIds: string[] }[] }).output
  expect(chunk?.code).toContain('session_created')
  const modules = chunk?.moduleIds.filter((id) => !id.startsWith('\0')) ?? []
  expect(modules.filter((id) => id.includes('node_modules'))).toEqual([])
  expect(modules.filter((id) => /stores|targets|runners|schemas|kernel\/(session|host|rules)|router/.test(id))).toEqual(
    [],
  )
  expect(gzipSync(chunk?.code ?? '').byteLength).toBeLessThan(GZIP_BYTES_MAX)
})
