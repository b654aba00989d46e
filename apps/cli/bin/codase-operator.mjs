#!/usr/bin/env node
await import('../dist/operator/main.js');
