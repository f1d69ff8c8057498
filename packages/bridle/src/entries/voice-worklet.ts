export * from '@bridle/client/audio/worklet'
