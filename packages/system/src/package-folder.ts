import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const isCheckout = import.meta.url.endsWith('.ts')
export const packageFolder: string = fileURLToPath(new URL(isCheckout ? '../../bridle/' : '../../', import.meta.url))
export const checkoutFolder: string | null = isCheckout ? fileURLToPath(new URL('../../../', import.meta.url)) : null

export const commandFile: string = checkoutFolder
  ? join(checkoutFolder, 'packages/cli/src/main.ts')
  : join(packageFolder, 'dist/cli/main.js')
