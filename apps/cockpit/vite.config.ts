import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defaultClientConditions, defineConfig } from 'vite'

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  plugins: [react()],
  resolve: { conditions: ['bridle-source', ...defaultClientConditions] },
  experimental: {
    // A proxy may serve the app below a path that no build knows. Scripts and styles find their files from where they stand themselves; the
    // first page is served at every address of the app, so its files begin with `/`, and the server adds the path.
    renderBuiltUrl: (file, { hostType }) => (hostType === 'html' ? `/${file}` : { relative: true }),
  },
  build: {
    outDir: fileURLToPath(new URL('dist', import.meta.url)),
    emptyOutDir: true,
    // The content security policy allows files of the server alone: no `data:` scripts, styles or pictures.
    assetsInlineLimit: 0,
    // The licences of bundled packages; those of fonts and icons are in public/licenses.
    license: { fileName: 'licenses/packages.md' },
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 700,
    reportCompressedSize: false,
  },
})
