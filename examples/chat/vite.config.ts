import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defaultClientConditions, defineConfig } from 'vite'

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  plugins: [react()],
  // In this checkout the package runs from source. A page of your own needs neither this line nor the proxy's address.
  resolve: { conditions: ['source', ...defaultClientConditions] },
  server: { proxy: { '/ws': { target: 'http://127.0.0.1:4317', ws: true } } },
})
