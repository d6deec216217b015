"""Which weights come inside installed packages: their identities, known without loading what runs them."""

from viska_assets.engines.protocols import ModelIdentity

MINILM = ModelIdentity(
    "all-MiniLM-L6-v2-int8", "1.0.0", "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6", 384
)
E5_SMALL = ModelIdentity(
    "multilingual-e5-small-q4", "0.3.0", "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f", 384
)
