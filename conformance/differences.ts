// Where a target answers otherwise, case by case, and why. Empty is the aim.
const asleep = 'a timer would keep the object awake for as long as anybody watches; the platform answers pings itself'

export const differences: { readonly [target: string]: { readonly [name: string]: string } } = {
  cloudflare: {
    '[W14] the server says that it is there': asleep,
    '[W14] who says nothing for too long is cut': asleep,
  },
}
