// The app as the tests serve it, built once for all test files that see the same sources.
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { builtOnce } from '../../../scripts/built-once.ts'

const app = fileURLToPath(new URL('..', import.meta.url))

/** Builds the app into a folder as it ships, not as Vitest's NODE_ENV would have it: less than two seconds. */
const buildCockpit = async (outDir: string): Promise<void> => {
  // Loaded only where something is built: most files find the app built.
  const { build } = await import('vite')
  const { NODE_ENV } = process.env
  process.env.NODE_ENV = 'production'
  try {
    await build({ configFile: join(app, 'vite.config.ts'), logLevel: 'warn', build: { outDir, emptyOutDir: true } })
  } finally {
    if (NODE_ENV === undefined) delete process.env.NODE_ENV
    else process.env.NODE_ENV = NODE_ENV
  }
}

/** The folder of the built app. */
export const builtCockpit = (): Promise<string> =>
  builtOnce({
    name: 'cockpit',
    sources: [
      'apps/cockpit/*.{html,ts}',
      'apps/cockpit/{src,public}/**/*.*',
      'packages/{assistant-ui,bridle,client,events,history,kernel,react,wire,words}/src/**/*.{ts,tsx}',
    ],
    build: buildCockpit,
  })
