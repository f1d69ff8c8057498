import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defaultClientConditions, defineConfig } from 'vite'

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  plugins: [react()],
  // In this checkout the package runs from source. A page of your own does not need this line.
  resolve: { conditions: ['bridle-source', ...defaultClientConditions] },
})
