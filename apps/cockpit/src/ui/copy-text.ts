import { showError, showToast } from './toast.tsx'

/** Copies, and says so. */
export const copyText = async (text: string, done: string): Promise<void> => {
  try {
    await navigator.clipboard.writeText(text)
    showToast({ text: done })
  } catch (error) {
    showError(error)
  }
}
